/* SPDX-License-Identifier: MIT */
/*
 * near.h - threads near a device.
 */
#ifndef CLOPT_BASE_NEAR_H
#define CLOPT_BASE_NEAR_H

/* Linux's folder of PCI devices. */
#define PCI_DEVICES "/sys/bus/pci/devices"

/* Bind the calling thread to those of its processors that are in the device's NUMA node, from the
 * device's folder in `devices'.  pci: the address, "0000:1b:00.0", or "".  Returns 0 if the thread
 * runs where it did: all of its processors are there, or none is, or the node is unknown. */
int clopt__move_near(const char *devices, const char *pci);

#endif
