/* SPDX-License-Identifier: MIT */
/*
 * near.h - threads near a device.
 */
#ifndef CLOPT_BASE_NEAR_H
#define CLOPT_BASE_NEAR_H

/* Where Linux has a folder for each PCI device. */
#define PCI_DEVICES "/sys/bus/pci/devices"

/* Keep the calling thread on those of its processors that are in the NUMA node of the device, as
 * the device's folder in `devices' says.  pci: the address, "0000:1b:00.0", or "".  0: it may run
 * where it could before, since all of its processors are there, or none, or nothing is known. */
int clopt__move_near(const char *devices, const char *pci);

#endif
