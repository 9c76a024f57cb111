// Tests of AppHost.
