package web

import (
	"archive/zip"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"github.com/labstack/echo/v4"

	"overton/internal/dataset"
	"overton/internal/store"
	"overton/internal/window"
	"overton/templates"
)

var formats = []dataset.Format{dataset.CSV, dataset.JSONL, dataset.Parquet}

func (s *site) askToDownload(c echo.Context) error {
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	return s.downloadPage(c, h, http.StatusOK, "")
}

func (s *site) downloadPage(c echo.Context, h *hosted, status int, problem string) error {
	ctx := c.Request().Context()
	frame, err := s.adminStudyFrame(c, h, "Download", "/download")
	if err != nil {
		return err
	}
	totals, err := s.Store.Totals(ctx)
	if err != nil {
		return err
	}
	_, err = s.Store.LatestRun(ctx, h.row.ID, window.RunKind)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	page := templates.DownloadPage{
		Admin: frame, Post: s.base + h.adminPath("/download"), Files: s.base + h.adminPath("/files.zip"),
		Analysed: err == nil, Complete: totals[h.row.ID].Complete, Problem: problem,
	}
	page.Wrong = problem != ""
	return s.show(c, status, templates.Download(page))
}

// download sends a study's data as one .zip. The files are written to disk
// first, so that what is sent is whole, and memory stays flat.
func (s *site) download(c echo.Context) error {
	ctx := c.Request().Context()
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	export, err := window.Export(ctx, s.Store, h.row, h.Study)
	if err != nil {
		return err
	}
	for _, f := range formats {
		if slices.Contains(c.Request().PostForm["format"], string(f)) {
			export.Formats = append(export.Formats, f)
		}
	}
	if len(export.Formats) == 0 {
		return s.downloadPage(c, h, http.StatusUnprocessableEntity, "Choose at least one format.")
	}
	export.At = s.Now()
	dir, err := os.MkdirTemp("", "overton-download-*")
	if err != nil {
		return fmt.Errorf("preparing a download: %w", err)
	}
	defer os.RemoveAll(dir)
	name := fmt.Sprintf("%s-%s", h.row.Slug, s.Now().UTC().Format("2006-01-02"))
	manifest, err := export.WriteFolder(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	if err := s.Store.Note(ctx, actorOf(c), h.row.ID, "data downloaded", fmt.Sprintf("%d files", len(manifest.Files)+1)); err != nil {
		return err
	}
	return sendZip(c, name, func(z *zip.Writer) error { return z.AddFS(os.DirFS(dir)) })
}

// downloadFiles sends the study's own files as one .zip.
func (s *site) downloadFiles(c echo.Context) error {
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	return sendZip(c, h.row.Slug, func(z *zip.Writer) error {
		for _, name := range slices.Sorted(maps.Keys(h.Files)) {
			w, err := z.Create(h.row.Slug + "/" + name)
			if err != nil {
				return err
			}
			if _, err := w.Write(h.Files[name]); err != nil {
				return err
			}
		}
		return nil
	})
}

// sendZip sends an archive while fill fills it. One that breaks off in the
// middle lacks its directory, so nobody takes it for whole.
func sendZip(c echo.Context, name string, fill func(*zip.Writer) error) error {
	h := c.Response().Header()
	h.Set(echo.HeaderContentType, "application/zip")
	h.Set(echo.HeaderContentDisposition, fmt.Sprintf("attachment; filename=%q", name+".zip"))
	z := zip.NewWriter(c.Response())
	if err := fill(z); err != nil {
		return fmt.Errorf("sending %s.zip: %w", name, err)
	}
	return z.Close()
}
