package dataset

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// Bounds of a Parquet file. The library believes what a file says of its own
// sizes, so they are checked before it reads.
const (
	maxFooter      = 1 << 20   // bytes
	maxFooterItems = 100_000   // entries of all lists of the footer
	maxUnpacked    = 256 << 20 // bytes of all pages, and of all cells as text
)

var errDamaged = errors.New("its structure is damaged")

// checkFooter checks the footer's length and its lists.
func checkFooter(content []byte) error {
	const ends = 12 // the mark, the footer's length, the mark again
	if len(content) < ends {
		return errDamaged
	}
	length := int64(binary.LittleEndian.Uint32(content[len(content)-8:]))
	if length > int64(len(content)-ends) {
		return fmt.Errorf("its footer claims %d bytes and the file has %d", length, len(content))
	}
	if length > maxFooter {
		return fmt.Errorf("its footer has %d bytes; expected at most %d", length, maxFooter)
	}
	s := thriftSkim{content: content[len(content)-8-int(length) : len(content)-8], numbers: map[[2]int]int64{}}
	return s.structure(0, 0)
}

// checkPages checks what the pages of all columns unpack to.
func checkPages(content []byte, f *parquet.File) error {
	values, unpacked := int64(0), int64(0)
	for _, group := range f.Metadata().RowGroups {
		for _, column := range group.Columns {
			m := column.MetaData
			at := m.DataPageOffset
			if m.DictionaryPageOffset > 0 && m.DictionaryPageOffset < at {
				at = m.DictionaryPageOffset
			}
			if at < 0 || m.TotalCompressedSize < 0 || at > int64(len(content)) || m.TotalCompressedSize > int64(len(content))-at {
				return errDamaged
			}
			for rest := content[at : at+m.TotalCompressedSize]; len(rest) > 0; {
				s := thriftSkim{content: rest, numbers: map[[2]int]int64{}}
				if err := s.structure(0, 0); err != nil {
					return err
				}
				size, packed := s.numbers[[2]int{2}], s.numbers[[2]int{3}]
				if size < 0 || packed < 0 || packed > int64(len(s.content)) {
					return errDamaged
				}
				n := max(s.numbers[[2]int{5, 1}], s.numbers[[2]int{8, 1}], s.numbers[[2]int{7, 1}])
				values, unpacked = values+n, unpacked+size
				if values > maxCells || unpacked > maxUnpacked {
					return errLarge
				}
				// Each value of this encoding repeats the beginning of the one before.
				const deltaByteArray = 7
				if (s.numbers[[2]int{5, 2}] == deltaByteArray || s.numbers[[2]int{8, 4}] == deltaByteArray) && n*size > maxUnpacked {
					return errLarge
				}
				if err := checkPage(m.Codec, s.content[:packed], size, s.numbers); err != nil {
					return err
				}
				rest = s.content[packed:]
			}
		}
	}
	return nil
}

// checkPage checks that a page unpacks to the size that its header gives.
func checkPage(codec format.CompressionCodec, page []byte, size int64, header map[[2]int]int64) error {
	levels := header[[2]int{8, 5}] + header[[2]int{8, 6}] // never packed
	if levels < 0 || levels > int64(len(page)) {
		return errDamaged
	}
	if page = page[levels:]; len(page) == 0 || header[[2]int{8, 7}] == thriftFalse {
		return nil
	}
	var unpack io.Reader
	switch codec {
	case format.Uncompressed:
		return nil
	case format.Snappy:
		if n, _ := binary.Uvarint(page); n > uint64(size) {
			return errDamaged
		}
		return nil
	case format.Gzip:
		r, err := gzip.NewReader(bytes.NewReader(page))
		if err != nil {
			return err
		}
		unpack = r
	case format.Zstd:
		r, err := zstd.NewReader(bytes.NewReader(page), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxUnpacked), zstd.WithDecoderMaxWindow(maxUnpacked))
		if err != nil {
			return err
		}
		defer r.Close()
		unpack = r
	default:
		return fmt.Errorf("it is compressed by %s; expected snappy, gzip, zstd or no compression", codec)
	}
	n, err := io.Copy(io.Discard, io.LimitReader(unpack, size+1))
	if err != nil {
		return err
	}
	if n > size {
		return errDamaged
	}
	return nil
}

// thriftSkim goes through a structure in Thrift's compact encoding without
// building it. It keeps the numbers of the outermost two levels by field.
type thriftSkim struct {
	content []byte // not yet read
	items   int
	numbers map[[2]int]int64
}

// Kinds of a field.
const (
	thriftTrue = 1 + iota
	thriftFalse
	thriftByte
	thriftI16
	thriftI32
	thriftI64
	thriftDouble
	thriftBytes
	thriftList
	thriftSet
	thriftMap
	thriftStruct
)

const maxThriftDepth = 32

func (s *thriftSkim) number() (uint64, error) {
	n, size := binary.Uvarint(s.content)
	if size <= 0 {
		return 0, errDamaged
	}
	s.content = s.content[size:]
	return n, nil
}

func (s *thriftSkim) skip(n uint64) error {
	if n > uint64(len(s.content)) {
		return errDamaged
	}
	s.content = s.content[n:]
	return nil
}

func (s *thriftSkim) octet() (byte, error) {
	if len(s.content) == 0 {
		return 0, errDamaged
	}
	b := s.content[0]
	s.content = s.content[1:]
	return b, nil
}

// structure skims a structure at a depth from 0, below a field of the outermost.
func (s *thriftSkim) structure(depth, outer int) error {
	if depth > maxThriftDepth {
		return errDamaged
	}
	field := 0
	for {
		head, err := s.octet()
		if err != nil || head == 0 {
			return err
		}
		if delta := int(head >> 4); delta > 0 {
			field += delta
		} else {
			n, err := s.number()
			if err != nil {
				return err
			}
			field = int(int16(n>>1) ^ -int16(n&1))
		}
		kind := int(head & 15)
		at := [2]int{field}
		if depth == 1 {
			at = [2]int{outer, field}
		}
		switch {
		case depth > 1:
			err = s.value(kind, depth, outer)
		case kind == thriftTrue || kind == thriftFalse:
			s.numbers[at] = int64(kind)
		case kind >= thriftI16 && kind <= thriftI64:
			var n uint64
			n, err = s.number()
			s.numbers[at] = int64(n>>1) ^ -int64(n&1)
		case depth == 0:
			err = s.value(kind, depth, field)
		default:
			err = s.value(kind, depth, outer)
		}
		if err != nil {
			return err
		}
	}
}

// value skims the value of a field.
func (s *thriftSkim) value(kind, depth, outer int) error {
	switch kind {
	case thriftTrue, thriftFalse:
		return nil
	case thriftByte:
		return s.skip(1)
	case thriftI16, thriftI32, thriftI64:
		_, err := s.number()
		return err
	case thriftDouble:
		return s.skip(8)
	case thriftBytes:
		n, err := s.number()
		return errors.Join(err, s.skip(n))
	case thriftList, thriftSet:
		head, err := s.octet()
		n := uint64(head >> 4)
		if err == nil && n == 15 {
			n, err = s.number()
		}
		if err != nil {
			return err
		}
		return s.entries(n, depth, outer, int(head&15))
	case thriftMap:
		n, err := s.number()
		if err != nil || n == 0 {
			return err
		}
		kinds, err := s.octet()
		if err != nil {
			return err
		}
		return s.entries(n, depth, outer, int(kinds>>4), int(kinds&15))
	case thriftStruct:
		return s.structure(depth+1, outer)
	}
	return errDamaged
}

// entries skims the entries of a list, a set or a map, each of one value of
// every kind given.
func (s *thriftSkim) entries(n uint64, depth, outer int, kinds ...int) error {
	if n > uint64(len(s.content)) {
		return errDamaged
	}
	if s.items += int(n); s.items > maxFooterItems {
		return fmt.Errorf("its footer has more than %d entries", maxFooterItems)
	}
	for range n {
		for _, kind := range kinds {
			var err error
			switch {
			case kind == thriftTrue || kind == thriftFalse: // an octet within lists
				err = s.skip(1)
			case depth > maxThriftDepth:
				err = errDamaged
			default:
				err = s.value(kind, max(depth, 1)+1, outer)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
