/* SPDX-License-Identifier: MIT */
/*
 * matmul.c - the shortest program: multiply two matrices on the best device.
 */
#include <stdio.h>

#include <clopt.h>

int main(void)
{
	/* clang-format off */
	const float a[2 * 3] = { 1, 2, 3,
	                         4, 5, 6 };
	const float b[3 * 4] = { 1, 0, 0, 1,
	                         0, 1, 0, 1,
	                         0, 0, 1, 1 };
	/* clang-format on */
	float product[2 * 4];
	struct clopt *c;
	int i, rc;

	rc = clopt_open(&c, NULL);
	if (rc == CLOPT_OK)
		rc = clopt_matmul(c, 2, 4, 3, a, b, product);
	if (rc != CLOPT_OK)
		fprintf(stderr, "matmul: %s\n", clopt_error(c));
	else
		for (i = 0; i < 2 * 4; i++)
			printf("%g%c", (double)product[i], i % 4 == 3 ? '\n' : ' ');
	clopt_close(c);
	return rc != CLOPT_OK;
}
