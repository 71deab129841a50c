int tappet_mqtt_main(int argc, char **argv);

int main(int argc, char **argv) { return tappet_mqtt_main(argc, argv); }
