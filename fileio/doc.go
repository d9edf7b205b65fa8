// Package fileio brings bytes of a data directory into memory.
package fileio
