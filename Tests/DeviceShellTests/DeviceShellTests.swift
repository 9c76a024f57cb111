// Tests of DeviceShell.
