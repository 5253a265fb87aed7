package watch

import (
	"strconv"

	"github.com/a-h/templ"
)

// Part is a part of a page that a live page sends anew when it changes. Its
// content is one element with the id.
type Part struct {
	ID      string
	Content templ.Component
}

// MonitorParts are the parts of a monitor that change while people walk the
// study, in the order of the page.
func MonitorParts(p MonitorPage) []Part {
	parts := []Part{{"live-alarms", alarms(p)}}
	of := func(c Counts) {
		for _, part := range []Part{
			{"people", people(p, c)}, {"funnel", funnel(p, c)}, {"times", times(p, c)}, {"filling", filling(p, c)}, {"flags", flags(p, c)},
		} {
			part.ID = partID(c, part.ID)
			parts = append(parts, part)
		}
	}
	of(p.People)
	virtual := Counts{Virtual: true}
	if p.Virtual != nil {
		virtual = *p.Virtual
	}
	return append(parts, Part{"live-virtual", virtually(p, virtual, p.Virtual != nil)})
}

// partID is the id of a part that there is for people and for virtual
// participants.
func partID(c Counts, name string) string {
	if c.Virtual {
		return "live-virtual-" + name
	}
	return "live-" + name
}

// thousandths is n of all as the width of a bar that is 1000 wide.
func thousandths(n, of int) string {
	if of <= 0 {
		return "0"
	}
	return strconv.Itoa(min(1000, n*1000/of))
}

// kind tells apart the tables that there are for people and for virtual
// participants.
func kind(c Counts, name string) string {
	if c.Virtual {
		return name + ", virtual participants"
	}
	return name
}
