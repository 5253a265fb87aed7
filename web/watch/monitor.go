package watch

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"overton/internal/store"
	"overton/internal/study"
	pages "overton/templates/watch"
	"overton/web/site"
)

// fewSpace is how much free space calls for somebody, in bytes.
const fewSpace = 1 << 30

// monitor shows where a study stands.
func (s *Room) monitor(c echo.Context, h *site.Hosted, p pages.Page) error {
	if h.Row.Status == store.Draft { // has nobody to watch
		return s.To(c, h.AdminPath("/setup"))
	}
	page := pages.MonitorPage{Page: p, Link: s.ArrivalLink(c.Request(), h), Facts: h.Facts()}
	if p.Administrator {
		page.Changes = site.Changes[h.Row.Status]
	}
	now, err := s.snapshot(c.Request().Context(), h, 0)
	if err == nil && now != nil {
		err = s.fill(c.Request().Context(), h, now, &page)
	}
	if err != nil {
		return err
	}
	return s.Show(c, http.StatusOK, pages.Monitor(page))
}

// liveMonitor sends the sections of a monitor that change.
func (s *Room) liveMonitor(c echo.Context, h *site.Hosted, p pages.Page) error {
	if h.Row.Status == store.Draft {
		return &site.Refusal{Status: http.StatusNotFound, Name: "not_found"}
	}
	var shown *snapshot
	return s.stream(c, func() ([]pages.Section, error) {
		now, err := s.snapshot(c.Request().Context(), h, liveEvery)
		if err != nil || now == nil || now == shown {
			return nil, err
		}
		page := pages.MonitorPage{Page: p}
		if err := s.fill(c.Request().Context(), h, now, &page); err != nil {
			return nil, err
		}
		shown = now
		return page.Sections(), nil
	})
}

// fill puts into a monitor where its study stands, and what needs a person.
func (s *Room) fill(ctx context.Context, h *site.Hosted, now *snapshot, page *pages.MonitorPage) error {
	page.Now = &now.Snapshot
	if free, err := s.Store.Space(); err == nil && free < fewSpace {
		page.Space = free
	}
	row, err := s.Store.Study(ctx, h.Row.Slug) // its status may have changed since
	if err != nil || row.Status != store.Running || row.ID != h.Row.ID {
		return err
	}
	mode, err := s.Store.ModerationMode(ctx, &h.Study.Study, h.Row.ID)
	if err != nil {
		return err
	}
	people := now.People
	watch := study.Watch{
		Summary: people.Summary, Places: h.Places(), OldestPending: people.OldestPending,
		Before: mode == study.ModerationBefore, Reward: people.Reward.Amount, Currency: people.Reward.Currency,
		Launched: time.UnixMilli(row.LaunchedAt), Now: now.At,
	}
	for _, c := range people.Coverage {
		watch.Pending += c.Pending
	}
	page.Alarms = h.Alarms(watch)
	return nil
}

// setReward keeps what people are paid.
func (s *Room) setReward(c echo.Context, h *site.Hosted) error {
	var amount float64
	var err error
	if typed := strings.ReplaceAll(strings.TrimSpace(c.FormValue("amount")), ",", "."); typed != "" {
		amount, err = strconv.ParseFloat(typed, 64)
	}
	currency := c.FormValue("currency")
	if err != nil || !(amount >= 0 && amount < 10_000) || !slices.Contains(pages.Currencies, currency) {
		return &site.Refusal{Status: http.StatusUnprocessableEntity, Name: "reward", Try: h.AdminPath("")}
	}
	reward := store.Reward{Amount: amount, Currency: currency}
	if err := s.Store.SetReward(c.Request().Context(), h.Row.ID, reward, site.ActorOf(c)); err != nil {
		return err
	}
	return s.To(c, h.AdminPath(""))
}

// questions lists all questions of a study.
func (s *Room) questions(c echo.Context, h *site.Hosted, p pages.Page) error {
	page := pages.QuestionsPage{Page: p, Sort: c.QueryParam("sort"), Text: c.QueryParam("q")}
	now, err := s.snapshot(c.Request().Context(), h, 0)
	if err != nil {
		return err
	}
	if page.Counted = now != nil; !page.Counted {
		return s.Show(c, http.StatusOK, pages.Questions(page))
	}
	words := strings.ToLower(strings.TrimSpace(page.Text))
	list := slices.DeleteFunc(now.People.ByQuestion(h.Study), func(q pages.QuestionProgress) bool {
		return q.ID != page.Text && !strings.Contains(strings.ToLower(q.Text), words)
	})
	order := pages.FurthestBehind
	switch page.Sort {
	case "votes":
		order = func(a, b pages.QuestionProgress) int { return cmp.Compare(b.Coverage.Below, a.Coverage.Below) }
	case "waiting":
		order = func(a, b pages.QuestionProgress) int { return cmp.Compare(b.Coverage.Pending, a.Coverage.Pending) }
	case "file":
		order = func(a, b pages.QuestionProgress) int { return 0 }
	default:
		page.Sort = "behind"
	}
	slices.SortStableFunc(list, order)
	page.Questions, page.Pager = cut(c, h.Href("/progress"), list, 100)
	return s.Show(c, http.StatusOK, pages.Questions(page))
}
