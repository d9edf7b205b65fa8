// Command fetchservers fetches every PostgreSQL server that pipescan's tests need, so that the tests need no network.
//
//	go run ./internal/pgtest/cmd/fetchservers
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/pipescan/pipescan/internal/pgtest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := 0
	for _, major := range pgtest.Versions() {
		dir, err := pgtest.Fetch(ctx, major)
		if err != nil {
			fmt.Fprintf(os.Stderr, "PostgreSQL %d: %v\n", major, err)
			code = 1
			continue
		}
		fmt.Printf("PostgreSQL %d: %s\n", major, dir)
	}
	stop()
	os.Exit(code)
}
