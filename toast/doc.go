// Package toast puts wide values together: chunks, pglz, lz4.
package toast
