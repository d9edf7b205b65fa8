// Command service streams tables over HTTP as JSON lines.
//
//	go run ./examples/service -D /path/to/data -d postgres -listen 127.0.0.1:8080
//	curl 'http://127.0.0.1:8080/tables/public.orders/rows?columns=id,note&where=id<10'
//
// A slow client slows its scan down and nothing else: rows are made as they are
// written. A client that goes away ends its scan. All requests share the DB's
// worker budget: each asks for a few lanes and gets what is free.
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/pipeline"
)

func main() {
	dir := flag.String("D", os.Getenv("PGDATA"), "data directory of a stopped server")
	database := flag.String("d", "postgres", "database")
	listen := flag.String("listen", "127.0.0.1:8080", "address to listen on")
	workers := flag.Int("workers", 0, "lanes that all requests share; 0: the number of processors")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *dir, *listen, pipescan.Options{Database: *database, Workers: *workers}); err != nil {
		log.Fatal(err)
	}
}

// run serves until ctx ends, then waits for the requests in flight.
func run(ctx context.Context, dir, listen string, o pipescan.Options) error {
	db, err := pipescan.Open(ctx, dir, o)
	if err != nil {
		return err
	}
	defer db.Close()
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	log.Printf("listening on http://%s", l.Addr())
	return serve(ctx, l, newHandler(db))
}

// serve runs the HTTP server on l until ctx ends.
func serve(ctx context.Context, l net.Listener, h http.Handler) error {
	s := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
	group, ctx := pipeline.NewGroup(ctx)
	group.Go("serve", func(context.Context) error {
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	group.Go("shut down", func(ctx context.Context) error {
		<-ctx.Done()
		wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		return s.Shutdown(wait)
	})
	<-ctx.Done()
	if err := group.Wait(); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
