// Tests of LocalServer.
