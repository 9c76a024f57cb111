// Tests of Updater.
