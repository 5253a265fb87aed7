package watch

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"overton/internal/dataset"
	"overton/internal/store"
	"overton/internal/window"
	pages "overton/templates/watch"
	"overton/web/site"
)

// download shows what can be downloaded.
func (s *Room) download(c echo.Context, h *site.Hosted, p pages.Page) (err error) {
	page := pages.DownloadPage{Page: p}
	if page.People, page.Virtual, err = s.Store.Complete(c.Request().Context(), h.Row.ID); err != nil {
		return err
	}
	_, err = s.Store.LatestRun(c.Request().Context(), h.Row.ID, window.RunKind)
	if page.Analysed = err == nil; err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return s.Show(c, http.StatusOK, pages.Download(page))
}

// data sends a study's data as one .zip while they are read.
func (s *Room) data(c echo.Context, h *site.Hosted) error {
	ctx, file := c.Request().Context(), c.Param("file")
	if file == pages.BundleFile {
		return s.send(c, h, file, h.Row.Slug+"-"+file, func(w io.Writer) error {
			_, err := window.WriteBundle(ctx, s.Store, h.Row, h.Study, w)
			return err
		})
	}
	at := slices.IndexFunc(pages.DataFiles, func(f pages.DataFile) bool { return f.File == file })
	if at < 0 {
		return &site.Refusal{Status: http.StatusNotFound, Name: "not_found", Try: h.AdminPath("/download")}
	}
	name := fmt.Sprintf("%s-%s-%s", h.Row.Slug, s.Now().UTC().Format("2006-01-02"), file)
	return s.send(c, h, file, name, func(w io.Writer) error {
		return window.Export(ctx, s.Store, h.Row, h.Study, func(e *dataset.Export) error {
			e.Formats, e.At = pages.DataFiles[at].Formats, s.Now()
			_, err := e.WriteZip(w, h.Row.Slug)
			return err
		})
	})
}

// studyFiles sends the study's own files as one .zip.
func (s *Room) studyFiles(c echo.Context, h *site.Hosted) error {
	return s.send(c, h, "files.zip", h.Row.Slug+".zip", func(out io.Writer) error {
		z := zip.NewWriter(out)
		for _, name := range slices.Sorted(maps.Keys(h.Files)) {
			w, err := z.Create(h.Row.Slug + "/" + name)
			if err == nil {
				_, err = w.Write(h.Files[name])
			}
			if err != nil {
				return err
			}
		}
		return z.Close()
	})
}

// send notes a download in the log and sends the archive that write writes. One
// that breaks off in the middle lacks its directory, so programs refuse to open it.
func (s *Room) send(c echo.Context, h *site.Hosted, what, name string, write func(io.Writer) error) error {
	header := c.Response().Header()
	header.Set(echo.HeaderContentType, "application/zip")
	header.Set(echo.HeaderContentDisposition, fmt.Sprintf("attachment; filename=%q", name))
	if c.Request().Method == http.MethodHead {
		return nil
	}
	if err := s.Downloaded(c, h.Row.ID, what); err != nil {
		return err
	}
	if err := write(c.Response()); err != nil {
		return fmt.Errorf("sending %s: %w", name, err)
	}
	return nil
}
