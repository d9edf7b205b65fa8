// Command pipescan reads tables of PostgreSQL data directories without a
// server: it reads flags, wires packages together and forwards signals; the
// work is done elsewhere.
//
//	main.go      exit code, signals         flags.go   what all verbs share
//	scan.go      one table to a writer      dump.go    many tables to a directory
//	list.go      databases, tables          describe.go, doctor.go, inspect.go
package main
