package web

import (
	"archive/zip"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"overton/internal/dataset/export"
	"overton/internal/store"
	"overton/internal/window"
	"overton/templates"
)

// dataFile is a way to download a study's data.
type dataFile struct {
	file, name, holds string
	formats           []export.Format
}

var dataFiles = []dataFile{
	{"csv.zip", "CSV", "Each table twice: exact, and as a file ending in _spreadsheet.csv that is safe to open in a spreadsheet program.", []export.Format{export.CSV}},
	{"jsonl.zip", "JSON Lines", "One object a line, for scripts.", []export.Format{export.JSONL}},
	{"parquet.zip", "Parquet", "Typed columns, for R, Python and databases.", []export.Format{export.Parquet}},
	{"overtonbench.zip", "OvertonBench layout", "The columns of the published benchmark, of people who finished.", []export.Format{export.OvertonBench}},
	{"polis.zip", "Polis layout", "A folder for each question that tools for Polis read.", []export.Format{export.Polis}},
	{"everything.zip", "Everything", "All of the above.", []export.Format{export.CSV, export.JSONL, export.Parquet, export.OvertonBench, export.Polis}},
}

// bundleFile is the download of a study's bundle.
const bundleFile = "bundle.zip"

func (s *site) downloadPage(c echo.Context) error {
	ctx := c.Request().Context()
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	frame, err := s.adminStudyFrame(c, h, "Download", "/download")
	if err != nil {
		return err
	}
	people, virtual, err := s.Store.Complete(ctx, h.row.ID)
	if err != nil {
		return err
	}
	_, err = s.Store.LatestRun(ctx, h.row.ID, window.RunKind)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	page := templates.DownloadPage{
		Admin: frame, Files: s.base + h.adminPath("/files.zip"), Bundle: s.base + h.adminPath("/data/"+bundleFile),
		Analysed: err == nil, Complete: people, Virtual: virtual,
	}
	for _, f := range dataFiles {
		page.Data = append(page.Data, templates.DataFile{Name: f.name, Holds: f.holds, Path: s.base + h.adminPath("/data/"+f.file)})
	}
	return s.show(c, http.StatusOK, templates.Download(page))
}

// data sends a study's data as one .zip, while they are read.
func (s *site) data(c echo.Context) error {
	ctx := c.Request().Context()
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	file := c.Param("file")
	at := slices.IndexFunc(dataFiles, func(f dataFile) bool { return f.file == file })
	if at < 0 && file != bundleFile {
		return &refusal{status: http.StatusNotFound, name: "not_found", try: h.adminPath("/download")}
	}
	name := fmt.Sprintf("%s-%s-%s", h.row.Slug, s.Now().UTC().Format("2006-01-02"), file)
	if file == bundleFile {
		name = h.row.Slug + "-" + file
	}
	offer(c, "application/zip", name)
	if c.Request().Method == http.MethodHead {
		return nil
	}
	if err := s.Store.Note(ctx, actorOf(c), h.row.ID, "data downloaded", file); err != nil {
		return err
	}
	if file == bundleFile {
		_, err = window.WriteBundle(ctx, s.Store, h.row, h.Study, c.Response())
		return err
	}
	return window.Export(ctx, s.Store, h.row, h.Study, func(e *export.Data) error {
		e.Formats, e.At = dataFiles[at].formats, s.Now()
		_, err := e.WriteZip(c.Response(), h.row.Slug)
		return err
	})
}

// offer says that a response is a file to keep.
func offer(c echo.Context, kind, name string) {
	h := c.Response().Header()
	h.Set(echo.HeaderContentType, kind)
	h.Set(echo.HeaderContentDisposition, fmt.Sprintf("attachment; filename=%q", name))
}

// downloadFiles sends the study's own files as one .zip.
func (s *site) downloadFiles(c echo.Context) error {
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	if c.Request().Method == http.MethodHead {
		offer(c, "application/zip", h.row.Slug+".zip")
		return nil
	}
	if err := s.Store.Note(c.Request().Context(), actorOf(c), h.row.ID, "data downloaded", "files.zip"); err != nil {
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
	offer(c, "application/zip", name+".zip")
	z := zip.NewWriter(c.Response())
	if err := fill(z); err != nil {
		return fmt.Errorf("sending %s.zip: %w", name, err)
	}
	return z.Close()
}
