#include <stdint.h>
#include <stddef.h>
#include <nfc/nfc.h>

/* Exported by libnfc.so (its own examples use them) but in none of its installed headers. */
typedef enum { PSM_NORMAL = 0x01 } pn532_sam_mode;
int pn532_SAMConfiguration(struct nfc_device *pnd, pn532_sam_mode sam_mode, int timeout);
int pn53x_transceive(struct nfc_device *pnd, const uint8_t *pbtTx, const size_t szTx, uint8_t *pbtRx,
                     const size_t szRxLen, int timeout);

/* nfc_connstring is an array type: a parameter of arrays of it has no name in Swift. Fills at most
   count * NFC_BUFSIZE_CONNSTRING bytes and returns the number of devices. */
static inline size_t tp_nfc_list_devices(nfc_context *context, char *ret_connstrings, size_t count) {
  return nfc_list_devices(context, (nfc_connstring *)ret_connstrings, count);
}
