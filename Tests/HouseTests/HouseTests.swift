// Tests of House.
