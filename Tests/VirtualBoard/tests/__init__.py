"""The tests of the virtual board; importing a module registers its tests with the suite."""
