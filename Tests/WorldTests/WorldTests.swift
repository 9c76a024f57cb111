// Tests of World.
