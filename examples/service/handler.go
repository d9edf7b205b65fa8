package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/pipescan/pipescan"
	"github.com/pipescan/pipescan/dump"
	"github.com/pipescan/pipescan/export"
	"github.com/pipescan/pipescan/sqlfront"
)

// lanesPerRequest is what a request asks the budget for.
const lanesPerRequest = 2

// handler answers requests about one database.
type handler struct{ db *pipescan.DB }

// newHandler routes the requests.
func newHandler(db *pipescan.DB) http.Handler {
	h := &handler{db}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /tables", h.tables)
	mux.HandleFunc("GET /tables/{table}/rows", h.rows)
	return mux
}

// tables lists the tables, a JSON object a line.
func (h *handler) tables(w http.ResponseWriter, r *http.Request) {
	tables, err := h.db.Tables(r.Context(), pipescan.TableFilter{})
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	enc := json.NewEncoder(w)
	for _, t := range tables {
		if err := enc.Encode(map[string]string{"table": t.Name()}); err != nil {
			return // the client went away
		}
	}
}

// rows streams a table. Parameters: columns (separated by commas), where (SQL),
// limit, offset.
func (h *handler) rows(w http.ResponseWriter, r *http.Request) {
	table, err := h.db.Table(r.Context(), r.PathValue("table"))
	if err != nil {
		fail(w, err)
		return
	}
	request, err := parseRequest(r)
	if err != nil {
		fail(w, err)
		return
	}
	out := &stream{w: w}
	_, err = dump.Copy(r.Context(), out, table, request, export.JSONLines, export.Options{}, nil)
	switch {
	case err == nil && !out.begun:
		out.begin() // no rows: still a stream
	case err == nil || r.Context().Err() != nil:
	case out.begun:
		// The status is sent: only a broken connection can tell the client
		// that what it has is not all.
		panic(http.ErrAbortHandler)
	default:
		fail(w, err)
	}
}

// errParameter marks a parameter that makes no sense.
var errParameter = errors.New("bad parameter")

// parseRequest reads a scan request from the URL.
func parseRequest(r *http.Request) (pipescan.Request, error) {
	q := r.URL.Query()
	request := pipescan.Request{Descend: true, Lanes: lanesPerRequest}
	if c := q.Get("columns"); c != "" {
		request.Columns = strings.Split(c, ",")
	}
	if text := q.Get("where"); text != "" {
		where, err := sqlfront.Where(text)
		if err != nil {
			return request, fmt.Errorf("%w where: %w", errParameter, err)
		}
		request.Where = where
	}
	for name, set := range map[string]func(int64){
		"limit":  func(n int64) { request.Limit = &n },
		"offset": func(n int64) { request.Offset = n },
	} {
		text := q.Get(name)
		if text == "" {
			continue
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return request, fmt.Errorf("%w %s: %q is no count", errParameter, name, text)
		}
		set(n)
	}
	return request, nil
}

// stream sends the status with the first rows.
type stream struct {
	w     http.ResponseWriter
	begun bool
}

// begin sends the status: everything is well so far.
func (s *stream) begin() {
	s.w.Header().Set("Content-Type", "application/x-ndjson")
	s.w.WriteHeader(http.StatusOK)
	s.begun = true
}

// Write sends rows, and waits as long as the client is slow.
func (s *stream) Write(b []byte) (int, error) {
	if !s.begun {
		s.begin()
	}
	return s.w.Write(b)
}

// fail answers with an error before anything else was sent.
func fail(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	switch {
	case errors.Is(err, pipescan.ErrNotFound):
		status = http.StatusNotFound
	case errors.Is(err, errParameter), errors.Is(err, pipescan.ErrUnsupported):
		status = http.StatusBadRequest
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": err.Error()})
}
