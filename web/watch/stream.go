package watch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	pages "overton/templates/watch"
)

const (
	liveEvery = 2 * time.Second  // between two looks at whether a page that is watched has changed
	liveBeat  = 15 * time.Second // between signs of life on a stream that has nothing to tell
	liveLife  = 5 * time.Minute  // of a stream; then the browser asks again, and its role is looked up again
)

// stream sends the sections of a page that change, as server-sent events, until
// the browser leaves, the server stops or liveLife is over. Only sections that
// differ from what was sent before are sent.
func (s *Room) stream(c echo.Context, sections func() ([]pages.Section, error)) error {
	r, header := c.Request(), c.Response().Header()
	header.Set("Content-Type", "text/event-stream; charset=utf-8")
	header.Set("X-Accel-Buffering", "no") // or nginx keeps the events back
	c.Response().WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	out := http.NewResponseController(c.Response())
	// The server's limit is on reading requests; this one has been read.
	if err := out.SetReadDeadline(time.Time{}); err != nil {
		return fmt.Errorf("lifting the limit of a stream: %w", err)
	}
	var spoke time.Time
	send := func(event string) (left bool) {
		spoke = time.Now()
		err := out.SetWriteDeadline(spoke.Add(liveBeat))
		if err == nil {
			_, err = c.Response().Write([]byte(event + "\n\n"))
		}
		return err != nil || out.Flush() != nil
	}
	if send("retry: 3000") {
		return nil
	}
	sent := map[string]string{}
	tick := time.NewTicker(liveEvery)
	defer tick.Stop()
	end := time.NewTimer(liveLife)
	defer end.Stop()
	for {
		var event string
		list, err := sections()
		if err == nil {
			event, err = partsEvent(r.Context(), list, sent)
		}
		if err != nil {
			if r.Context().Err() != nil || s.Life.Err() != nil {
				return nil
			}
			s.Log.Error("updating a live page failed", "route", c.Path(), "error", err)
		}
		if event == "" && time.Since(spoke) >= liveBeat {
			event = "event: beat\ndata:"
		}
		if event != "" && send(event) {
			return nil
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-s.Life.Done():
			return nil
		case <-end.C:
			return nil
		case <-tick.C:
		}
	}
}

// partsEvent is the event that brings a page up to date, after the HTML in sent,
// by id. It is "" where nothing changed.
func partsEvent(ctx context.Context, sections []pages.Section, sent map[string]string) (string, error) {
	fresh := map[string]string{}
	for _, section := range sections {
		var b bytes.Buffer
		if err := section.Content.Render(ctx, &b); err != nil {
			return "", fmt.Errorf("rendering %s: %w", section.ID, err)
		}
		if html := b.String(); html != sent[section.ID] {
			fresh[section.ID], sent[section.ID] = html, html
		}
	}
	if len(fresh) == 0 {
		return "", nil
	}
	data, err := json.Marshal(fresh)
	if err != nil {
		return "", fmt.Errorf("writing an event: %w", err)
	}
	return "event: parts\ndata: " + string(data), nil
}
