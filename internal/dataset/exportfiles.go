package dataset

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"path"
	"strings"
	"time"
)

// tableFiles is a table while it is written, with one file for each format and two for CSV.
type tableFiles struct {
	columns []Column
	values  []any
	rows    int
	writers []rowWriter
	files   []*countedFile
}

// write makes all files of the export, its manifest last.
func (t *tableFiles) write(r *exportRow) error {
	for i, column := range t.columns {
		t.values[i] = column.value(r)
		if moment, ok := t.values[i].(time.Time); ok && moment.IsZero() {
			t.values[i] = nil
		}
	}
	t.rows++
	for i, w := range t.writers {
		if err := w.write(t.values); err != nil {
			return fmt.Errorf("writing %s: %w", t.files[i].name, err)
		}
	}
	return nil
}

func createTable(to target, table ExportTable) (*tableFiles, error) {
	t := &tableFiles{columns: table.Columns, values: make([]any, len(table.Columns))}
	for _, format := range table.formats {
		if err := t.create(to, table, format); err != nil {
			_, err = t.close(err)
			return nil, err
		}
	}
	return t, nil
}

// create opens a table's file in a format; for CSV also the second one.
func (t *tableFiles) create(to target, table ExportTable, format Format) error {
	open := func(suffix string) (io.Writer, error) {
		f, err := createCounted(to, table.Name+suffix)
		if err == nil {
			t.files = append(t.files, f)
		}
		return f, err
	}
	switch format {
	case CSV:
		for _, suffix := range []string{".csv", "_spreadsheet.csv"} {
			f, err := open(suffix)
			if err != nil {
				return err
			}
			w, err := newCSVWriter(f, table.Columns, suffix != ".csv")
			if err != nil {
				return err
			}
			t.writers = append(t.writers, w)
		}
	case JSONL:
		f, err := open(".jsonl")
		if err != nil {
			return err
		}
		t.writers = append(t.writers, newJSONLWriter(f, table.Columns))
	case Parquet:
		f, err := open(".parquet")
		if err != nil {
			return err
		}
		t.writers = append(t.writers, newParquetWriter(f, table))
	}
	return nil
}

// close finishes and describes every file. It returns the first error, starting with the one given.
func (t *tableFiles) close(err error) (list []ManifestFile, _ error) {
	for i, f := range t.files {
		if i < len(t.writers) && err == nil {
			err = t.writers[i].close()
		}
		if cerr := f.to.Close(); err == nil {
			err = cerr
		}
		list = append(list, f.describe(t.rows))
	}
	return list, err
}

// countedFile is a file that knows its length and hash.
type countedFile struct {
	name  string
	to    io.WriteCloser
	sum   hash.Hash
	bytes int64
}

func createCounted(to target, name string) (*countedFile, error) {
	w, err := to.create(name)
	if err != nil {
		return nil, err
	}
	return &countedFile{name: name, to: w, sum: sha256.New()}, nil
}

func (f *countedFile) describe(rows int) ManifestFile {
	return ManifestFile{f.name, rows, f.bytes, hex.EncodeToString(f.sum.Sum(nil))}
}

func (f *countedFile) Write(b []byte) (int, error) {
	n, err := f.to.Write(b)
	f.sum.Write(b[:n])
	f.bytes += int64(n)
	return n, err
}

// zipTarget sends files to an archive in the order in which they are closed. Data are first compressed to a
// temporary file, so that reading runs at the speed of the disk and not of the receiver.
type zipTarget struct {
	folder  string
	queue   chan *spooled
	stopped chan struct{} // closed when the sender has ended
	err     error         // its error; read after stopped
	archive *zip.Writer
}

// zipAhead is how many files may wait to be sent.
const zipAhead = 64

func newZipTarget(w io.Writer, folder string) *zipTarget {
	z := &zipTarget{folder: folder, queue: make(chan *spooled, zipAhead), stopped: make(chan struct{}), archive: zip.NewWriter(w)}
	flusher, _ := w.(interface{ Flush() })
	go func() {
		defer close(z.stopped)
		for f := range z.queue {
			if z.err == nil {
				z.err = f.send(z.archive, flusher)
			}
			f.discard()
		}
	}()
	return z
}

func (z *zipTarget) create(name string) (io.WriteCloser, error) {
	f := &spooled{to: z, header: zip.FileHeader{Name: path.Join(z.folder, name), Method: zip.Deflate}, sum: crc32.NewIEEE()}
	if strings.HasSuffix(name, ".parquet") { // is compressed within
		f.header.Method = zip.Store
		return f, nil
	}
	var err error
	f.deflate, err = flate.NewWriter(&f.spool, flate.BestSpeed)
	return f, err
}

// finish sends what is waiting and completes the archive, unless something failed.
func (z *zipTarget) finish(err error) error {
	close(z.queue)
	<-z.stopped
	if err == nil {
		err = z.err
	}
	if err == nil {
		err = z.archive.Close()
	}
	return err
}

// spooled is one file on its way into an archive.
type spooled struct {
	to      *zipTarget
	header  zip.FileHeader
	deflate *flate.Writer // nil: stored as it is
	sum     hash.Hash32
	spool   spool
}

func (f *spooled) Write(b []byte) (int, error) {
	f.sum.Write(b)
	f.header.UncompressedSize64 += uint64(len(b))
	if f.deflate == nil {
		return f.spool.Write(b)
	}
	return f.deflate.Write(b)
}

// Close passes the file on to be sent.
func (f *spooled) Close() error {
	if f.deflate != nil {
		if err := f.deflate.Close(); err != nil {
			f.discard()
			return err
		}
		f.deflate = nil
	}
	f.header.CRC32, f.header.CompressedSize64 = f.sum.Sum32(), f.spool.size
	f.to.queue <- f
	return nil
}

// send puts the file into the archive. It runs in a goroutine of its own, where
// a panic of what is written to would end the program.
func (f *spooled) send(archive *zip.Writer, flusher interface{ Flush() }) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("sending %s: panic: %v", f.header.Name, p)
		}
	}()
	w, err := archive.CreateRaw(&f.header)
	if err == nil {
		err = f.spool.copyTo(w)
	}
	if err == nil && flusher != nil {
		if err = archive.Flush(); err == nil {
			flusher.Flush()
		}
	}
	return err
}

func (f *spooled) discard() { f.spool.discard() }

// spoolMemory is how much of a file is kept in memory before it goes to disk.
const spoolMemory = 64 << 10

// spool stores bytes until they are needed, on disk if there are many.
type spool struct {
	memory bytes.Buffer
	file   *os.File
	size   uint64
}

func (s *spool) Write(b []byte) (n int, err error) {
	s.size += uint64(len(b))
	if s.file == nil && s.memory.Len()+len(b) > spoolMemory {
		if s.file, err = os.CreateTemp("", "overton-export-*"); err != nil {
			return 0, err
		}
		if err := os.Remove(s.file.Name()); err != nil { // its space is free again once it is closed
			return 0, err
		}
		if _, err := s.memory.WriteTo(s.file); err != nil {
			return 0, err
		}
		s.memory = bytes.Buffer{}
	}
	if s.file != nil {
		return s.file.Write(b)
	}
	return s.memory.Write(b)
}

func (s *spool) copyTo(w io.Writer) error {
	if s.file == nil {
		_, err := s.memory.WriteTo(w)
		return err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(w, s.file)
	return err
}

func (s *spool) discard() {
	if s.file != nil {
		s.file.Close() // nothing in it is needed any more
	}
}
