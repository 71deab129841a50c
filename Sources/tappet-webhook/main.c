int tappet_webhook_main(int argc, char **argv);

int main(int argc, char **argv) { return tappet_webhook_main(argc, argv); }
