#ifndef EFI_IMAGE_PIN_H
#define EFI_IMAGE_PIN_H

/* The SHA-256 of the one arming file from the network that this copy of the application accepts, written into
 * it by image/pin-arming; "": none.  For machines without a stick of their own. */
const char *image_pin(void);

#endif
