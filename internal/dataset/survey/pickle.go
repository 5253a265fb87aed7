package survey

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"overton/internal/dataset"
	"overton/internal/instrument"
)

// A Python pickle can name any function to call. This reader calls none: it
// knows the few instructions that build lists, dictionaries and texts, and the
// few names that stand around an array of objects, and refuses everything else.

// pickleNames are the names that a NumPy file of objects may hold.
var pickleNames = []string{
	"numpy.core.multiarray _reconstruct", "numpy._core.multiarray _reconstruct", "numpy ndarray", "numpy dtype", "_codecs encode",
}

// pickled values: string, []byte, int, float64, bool, nil, *pickleList (lists
// and tuples), *pickleDict, pickleName, *pickleObject.
type (
	pickleName   string
	pickleList   struct{ items []any }
	pickleDict   struct{ keys, values []any }
	pickleObject struct {
		made  pickleName
		args  any
		state any
	}
	pickleMark struct{}
)

// readObjectArray reads a .npy file that holds one object, as numpy.save writes
// a dictionary.
func readObjectArray(content []byte) (any, error) {
	if !bytes.HasPrefix(content, []byte("\x93NUMPY")) || len(content) < 12 {
		return nil, fmt.Errorf("is no NumPy file; expected one written by numpy.save")
	}
	header, at := int(binary.LittleEndian.Uint16(content[8:])), 10
	if content[6] > 1 {
		header, at = int(binary.LittleEndian.Uint32(content[8:])), 12
	}
	if header > len(content)-at {
		return nil, fmt.Errorf("ends within its header")
	}
	if !bytes.Contains(content[at:at+header], []byte("'|O'")) {
		return nil, fmt.Errorf("is an array of numbers or texts; expected one object, a dictionary")
	}
	v, err := unpickle(content[at+header:])
	if err != nil {
		return nil, err
	}
	// The state of an array is (version, shape, type, order, list of objects).
	if array, ok := v.(*pickleObject); ok {
		if state, ok := array.state.(*pickleList); ok && len(state.items) == 5 {
			if objects, ok := state.items[4].(*pickleList); ok && len(objects.items) == 1 {
				return objects.items[0], nil
			}
		}
	}
	return nil, fmt.Errorf("holds no single object; expected a dictionary")
}

// unpickle builds the value that a pickle describes.
func unpickle(content []byte) (v any, err error) {
	p := &pickleReader{content: slices.Clip(content), memo: map[int]any{}}
	// Reading beyond the end and popping from nothing are panics of one kind.
	defer func() {
		if r := recover(); r != nil {
			v, err = nil, fmt.Errorf("is a damaged pickle at its byte %d", p.at)
		}
	}()
	for {
		done, err := p.step()
		if err != nil {
			return nil, err
		}
		if done {
			return p.pop(), nil
		}
	}
}

type pickleReader struct {
	content []byte
	at      int
	stack   []any
	memo    map[int]any
}

func (p *pickleReader) take(n int) []byte {
	b := p.content[p.at : p.at+n]
	p.at += n
	return b
}

func (p *pickleReader) line() string {
	n := bytes.IndexByte(p.content[p.at:], '\n')
	b := p.take(n)
	p.at++
	return string(b)
}

func (p *pickleReader) push(v any) { p.stack = append(p.stack, v) }

func (p *pickleReader) pop() any {
	v := p.stack[len(p.stack)-1]
	p.stack = p.stack[:len(p.stack)-1]
	return v
}

// toMark takes everything above the last mark.
func (p *pickleReader) toMark() []any {
	at := len(p.stack) - 1
	for p.stack[at] != any(pickleMark{}) {
		at--
	}
	items := slices.Clone(p.stack[at+1:])
	p.stack = p.stack[:at]
	return items
}

func (p *pickleReader) size(bytes int) int {
	b := make([]byte, 8)
	copy(b, p.take(bytes))
	return int(binary.LittleEndian.Uint64(b))
}

func (p *pickleReader) name(module, name string) error {
	full := module + " " + name
	if !slices.Contains(pickleNames, full) {
		return fmt.Errorf("wants to run %s.%s, which is not allowed; expected a plain dictionary saved by numpy", module, name)
	}
	p.push(pickleName(full))
	return nil
}

// step carries out one instruction of the protocols 2 to 4.
func (p *pickleReader) step() (done bool, err error) {
	op := p.take(1)[0]
	switch op {
	case '.':
		return true, nil
	case 0x80: // protocol
		p.take(1)
	case 0x95: // frame
		p.take(8)
	case '(':
		p.push(pickleMark{})
	case 'N':
		p.push(nil)
	case 0x88, 0x89:
		p.push(op == 0x88)
	case 'K':
		p.push(p.size(1))
	case 'M':
		p.push(p.size(2))
	case 'J':
		p.push(int(int32(p.size(4))))
	case 'G':
		p.push(math.Float64frombits(binary.BigEndian.Uint64(p.take(8))))
	case 0x8c:
		p.push(string(p.take(p.size(1))))
	case 'X':
		p.push(string(p.take(p.size(4))))
	case 0x8d:
		p.push(string(p.take(p.size(8))))
	case 'C':
		p.push(p.take(p.size(1)))
	case 'B':
		p.push(p.take(p.size(4)))
	case 'q':
		p.memo[p.size(1)] = p.stack[len(p.stack)-1]
	case 'r':
		p.memo[p.size(4)] = p.stack[len(p.stack)-1]
	case 0x94:
		p.memo[len(p.memo)] = p.stack[len(p.stack)-1]
	case 'h', 'j':
		n := p.size(map[byte]int{'h': 1, 'j': 4}[op])
		v, ok := p.memo[n]
		if !ok {
			return false, fmt.Errorf("is a damaged pickle at its byte %d", p.at)
		}
		p.push(v)
	case ']', ')':
		p.push(&pickleList{})
	case '}':
		p.push(&pickleDict{})
	case 't':
		p.push(&pickleList{p.toMark()})
	case 0x85, 0x86, 0x87:
		n := int(op - 0x84)
		items := slices.Clone(p.stack[len(p.stack)-n:])
		p.stack = p.stack[:len(p.stack)-n]
		p.push(&pickleList{items})
	case 'a', 'e':
		var items []any
		if op == 'a' {
			items = []any{p.pop()}
		} else {
			items = p.toMark()
		}
		list := p.stack[len(p.stack)-1].(*pickleList)
		list.items = append(list.items, items...)
	case 's', 'u':
		var items []any
		if op == 's' {
			v := p.pop()
			items = []any{p.pop(), v}
		} else {
			items = p.toMark()
		}
		dict := p.stack[len(p.stack)-1].(*pickleDict)
		for i := 0; i+1 < len(items); i += 2 {
			dict.keys, dict.values = append(dict.keys, items[i]), append(dict.values, items[i+1])
		}
	case 'c':
		return false, p.name(p.line(), p.line())
	case 0x93:
		name := p.pop().(string)
		return false, p.name(p.pop().(string), name)
	case 'R':
		args := p.pop()
		p.push(&pickleObject{made: p.pop().(pickleName), args: args})
	case 'b':
		state := p.pop()
		p.stack[len(p.stack)-1].(*pickleObject).state = state
	default:
		return false, fmt.Errorf("holds the pickle instruction 0x%02x at byte %d, which plain data do not need", op, p.at-1)
	}
	return false, nil
}

// QuestionTopics are the topics of OpinionQA's questions, coarse and fine, by
// the text that names a question there: its wording and its labels.
type QuestionTopics map[string]TopicsOf

// TopicsOf are the topics of one question.
type TopicsOf struct{ Coarse, Fine []string }

// Coarse are the coarse topics of an item, named by its text and its labels,
// with the refusals or without.
func (q QuestionTopics) Coarse(it instrument.Item) []string {
	var all, answers []string
	for _, o := range it.Options {
		all = append(all, o.Label)
		if !o.Refusal {
			answers = append(answers, o.Label)
		}
	}
	for _, labels := range [][]string{all, answers} {
		if t, ok := q[it.Text+" ["+strings.Join(labels, "/")+"]"]; ok {
			return t.Coarse
		}
	}
	return nil
}

// ReadTopicMapping reads topic_mapping.npy: {'question [label/label]': {'cg':
// […], 'fg': […]}}.
func ReadTopicMapping(name string, content []byte) (QuestionTopics, error) {
	refuse := func(place, format string, args ...any) (QuestionTopics, error) {
		return nil, dataset.Fault{File: name, Column: place, Message: fmt.Sprintf(format, args...)}
	}
	v, err := readObjectArray(content)
	if err != nil {
		return refuse("", "%s", err)
	}
	dict, ok := v.(*pickleDict)
	if !ok {
		return refuse("", "holds no dictionary; expected questions and their topics")
	}
	topics := QuestionTopics{}
	for i, key := range dict.keys {
		question, ok := key.(string)
		entry, isDict := dict.values[i].(*pickleDict)
		if !ok || !isDict {
			return refuse(fmt.Sprintf("entry %d", i+1), "is no question with its topics; expected 'question [labels]': {'cg': […], 'fg': […]}")
		}
		t := topics[question]
		for k, kind := range entry.keys {
			var names []string
			list, ok := entry.values[k].(*pickleList)
			if ok {
				for _, item := range list.items {
					topic, isText := item.(string)
					ok = ok && isText
					names = append(names, topic)
				}
			}
			if !ok || kind != "cg" && kind != "fg" {
				return refuse(dataset.Shorten(question, 40), "has something beside lists of topics; expected {'cg': […], 'fg': […]}")
			}
			if kind == "cg" {
				t.Coarse = names
			} else {
				t.Fine = names
			}
		}
		topics[question] = t
	}
	return topics, nil
}
