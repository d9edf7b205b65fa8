// Command pipescan reads tables of PostgreSQL data directories without a
// server: it reads flags, wires packages together and forwards signals; the
// work is done elsewhere.
//
//	main.go      exit code, signals         flags.go   what all verbs share
//	scan.go      one table to a writer      dump.go    many tables to a directory
//	query.go     SQL text: query, explain   sql.go     the SQL parser, or nosql.go without one
//	output.go    where rows go, and how     table.go   rows for people
//	list.go      databases, tables          describe.go, doctor.go, inspect.go
package main
