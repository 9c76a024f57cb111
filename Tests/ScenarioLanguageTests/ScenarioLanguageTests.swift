// Tests of ScenarioLanguage.
