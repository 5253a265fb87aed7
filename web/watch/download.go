package watch

import (
	"archive/zip"
	"errors"
	"fmt"
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

// dataFile is a way to download a study's data.
type dataFile struct {
	file, name, holds string
	formats           []dataset.Format
}

var dataFiles = []dataFile{
	{"csv.zip", "CSV", "Each table twice: exact, and as a file ending in _spreadsheet.csv that is safe to open in a spreadsheet program.", []dataset.Format{dataset.CSV}},
	{"jsonl.zip", "JSON Lines", "One object a line, for scripts.", []dataset.Format{dataset.JSONL}},
	{"parquet.zip", "Parquet", "Typed columns, for R, Python and databases.", []dataset.Format{dataset.Parquet}},
	{"overtonbench.zip", "OvertonBench layout", "The columns of the published benchmark, of people who finished.", []dataset.Format{dataset.OvertonBench}},
	{"polis.zip", "Polis layout", "A folder for each question that tools for Polis read.", []dataset.Format{dataset.Polis}},
	{"everything.zip", "Everything", "All of the above.", []dataset.Format{dataset.CSV, dataset.JSONL, dataset.Parquet, dataset.OvertonBench, dataset.Polis}},
}

// bundleFile is the download of a study's bundle.
const bundleFile = "bundle.zip"

func (s *Room) downloadPage(c echo.Context, h *site.Hosted) error {
	ctx := c.Request().Context()
	frame, err := s.AdminStudyFrame(c, h, "Download", "/download")
	if err != nil {
		return err
	}
	people, virtual, err := s.Store.Complete(ctx, h.Row.ID)
	if err != nil {
		return err
	}
	_, err = s.Store.LatestRun(ctx, h.Row.ID, window.RunKind)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	page := pages.DownloadPage{
		Admin: frame, Files: h.Href("/files.zip"), Bundle: h.Href("/data/" + bundleFile),
		Analysed: err == nil, Complete: people, Virtual: virtual,
	}
	for _, f := range dataFiles {
		page.Data = append(page.Data, pages.DataFile{Name: f.name, Holds: f.holds, Path: h.Href("/data/" + f.file)})
	}
	return s.Show(c, http.StatusOK, pages.Download(page))
}

// data sends a study's data as one .zip, while they are read.
func (s *Room) data(c echo.Context, h *site.Hosted) error {
	ctx := c.Request().Context()
	file := c.Param("file")
	at := slices.IndexFunc(dataFiles, func(f dataFile) bool { return f.file == file })
	if at < 0 && file != bundleFile {
		return &site.Refusal{Status: http.StatusNotFound, Name: "not_found", Try: h.AdminPath("/download")}
	}
	name := fmt.Sprintf("%s-%s-%s", h.Row.Slug, s.Now().UTC().Format("2006-01-02"), file)
	if file == bundleFile {
		name = h.Row.Slug + "-" + file
	}
	offer(c, "application/zip", name)
	if c.Request().Method == http.MethodHead {
		return nil
	}
	if err := s.Downloaded(c, h.Row.ID, file); err != nil {
		return err
	}
	if file == bundleFile {
		_, err := window.WriteBundle(ctx, s.Store, h.Row, h.Study, c.Response())
		return err
	}
	return window.Export(ctx, s.Store, h.Row, h.Study, func(e *dataset.Export) error {
		e.Formats, e.At = dataFiles[at].formats, s.Now()
		_, err := e.WriteZip(c.Response(), h.Row.Slug)
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
func (s *Room) downloadFiles(c echo.Context, h *site.Hosted) error {
	if c.Request().Method == http.MethodHead {
		offer(c, "application/zip", h.Row.Slug+".zip")
		return nil
	}
	if err := s.Downloaded(c, h.Row.ID, "files.zip"); err != nil {
		return err
	}
	return sendZip(c, h.Row.Slug, func(z *zip.Writer) error {
		for _, name := range slices.Sorted(maps.Keys(h.Files)) {
			w, err := z.Create(h.Row.Slug + "/" + name)
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
