// ScenarioLanguage: the room's head is written with its first types.
