package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/table"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

const tableRows = 50_000

// start serves a store with one table and returns its URL.
func start(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	s, err := table.Create(dir)
	require.NoError(t, err)
	ctx := context.Background()
	rel, err := s.CreateTable(ctx, "public", "orders", "id int, note text")
	require.NoError(t, err)
	_, err = s.LoadGenerated(ctx, rel, "id = series(1, 50000), note = text(20, 40)", table.GenerateOptions{})
	require.NoError(t, err)
	require.NoError(t, s.Close())

	db, err := pipescan.Open(ctx, dir, pipescan.Options{Workers: 2})
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- serve(ctx, l, newHandler(db)) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		cancel()
		require.NoError(t, <-done)
		require.NoError(t, db.Close())
	})
	return "http://" + l.Addr().String()
}

// get reads a whole answer.
func get(t *testing.T, url string) (int, string) {
	t.Helper()
	r, err := http.Get(url)
	require.NoError(t, err)
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return r.StatusCode, string(b)
}

func TestAnswers(t *testing.T) {
	url := start(t)
	status, body := get(t, url+"/tables")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "{\"table\":\"public.orders\"}\n", body)
	status, body = get(t, url+"/tables/orders/rows?columns=id&where=id%3C4&offset=1")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "{\"id\":2}\n{\"id\":3}\n", body)
	status, body = get(t, url+"/tables/orders/rows?where=false")
	require.Equal(t, http.StatusOK, status)
	require.Empty(t, body)
	for path, want := range map[string]int{
		"/tables/nothing/rows":              http.StatusNotFound,
		"/tables/orders/rows?columns=nope":  http.StatusNotFound,
		"/tables/orders/rows?where=id%3C":   http.StatusBadRequest,
		"/tables/orders/rows?limit=-1":      http.StatusBadRequest,
		"/tables/orders/rows?offset=twelve": http.StatusBadRequest,
	} {
		status, body := get(t, url+path)
		require.Equal(t, want, status, "%s: %s", path, body)
		var e struct{ Error string }
		require.NoError(t, json.Unmarshal([]byte(body), &e))
		require.NotEmpty(t, e.Error)
	}
}

// TestManyClients: fifty clients at once, some slow, some that go away; each
// that stays gets every row once.
func TestManyClients(t *testing.T) {
	url := start(t)
	var wg sync.WaitGroup
	errs := make(chan error, 50)
	for i := range 50 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs <- client(url, i)
		}()
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
}

// client reads the table; every fifth one goes away early, every seventh reads
// slowly.
func client(url string, i int) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/tables/orders/rows?columns=id", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	rows := 0
	for s := bufio.NewScanner(resp.Body); s.Scan(); {
		rows++
		var row struct{ ID int }
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			return err
		}
		if row.ID != rows {
			return io.ErrUnexpectedEOF
		}
		switch {
		case i%5 == 0 && rows == 1000:
			return nil
		case i%7 == 0 && rows%10_000 == 0:
			time.Sleep(20 * time.Millisecond)
		}
	}
	if rows != tableRows {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// TestBackPressure: a client that does not read holds its scan back, so that
// the server makes no more rows than the connection takes.
func TestBackPressure(t *testing.T) {
	url := start(t)
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	_, err = conn.Write([]byte("GET /tables/orders/rows HTTP/1.1\r\nHost: x\r\n\r\n"))
	require.NoError(t, err)
	first := make([]byte, 1000)
	_, err = io.ReadFull(conn, first)
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(first, []byte("HTTP/1.1 200")))
	// Others are served meanwhile, and all ends when the client goes away: the
	// test's cleanup waits for it.
	status, _ := get(t, url+"/tables/orders/rows?limit=10")
	require.Equal(t, http.StatusOK, status)
	require.NoError(t, conn.Close())
}
