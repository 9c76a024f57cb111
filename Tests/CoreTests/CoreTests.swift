// Tests of Core.
