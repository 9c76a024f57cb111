// Tests of Laboratory.
