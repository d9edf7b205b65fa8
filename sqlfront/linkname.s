//go:build !cgo

// This file is empty. A package with a file of assembly may declare functions
// without a body, as parser_nocgo.go does.
