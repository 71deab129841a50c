#include <olm/olm.h>
#include <olm/pk.h>
