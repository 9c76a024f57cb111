import ScenarioLanguage

/// A step of a scenario, under a name of its own: files that know the world's words use it.
package typealias StoryStep = Step
