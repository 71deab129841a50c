# `make install` and `make uninstall`. The Makefile includes this file.

PLACE = $(DESTDIR)$(PREFIX)
SHARE = $(PLACE)/share
FILLED_IN = sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|'
# One unit for the kiosk of /etc/tappet/kiosk.yaml, and one for each of several: tappet@NAME, of /etc/tappet/NAME.yaml.
UNIT = $(FILLED_IN) -e 's|@NAME@|$(1)|g' -e 's|@CONFIG@|/etc/tappet/$(2).yaml|g' board/systemd/tappet.service.in
# Everything that `make install` writes, relative to PREFIX, for `make uninstall`.
INSTALLED := bin/tappet bin/tappet-sim libexec/tappet $(addprefix $(LIBDIR)/,libtappet.so.0 libtappet.so libtappet.a \
	pkgconfig/tappet.pc cmake/tappet) include/tappet.h lib/systemd/system/tappet.service \
	lib/systemd/system/tappet@.service $(addprefix lib/systemd/system/tappet-web.,path socket service) \
	lib/sysusers.d/tappet.conf lib/sysusers.d/tappet-web.conf lib/tmpfiles.d/tappet.conf share/doc/tappet \
	share/tappet $(patsubst $(OUT)/%,%,$(COMPLETIONS)) \
	$(addprefix share/man/,man1/tappet.1 man1/tappet-*.1 man8/tappet-web.8 man5/kiosk.yaml.5 man3/tappet[-_.]*.3 \
	man3/TAPPET_*.3)

.PHONY: install uninstall
install: all  ## PREFIX=/usr/local DESTDIR=
	install -d $(addprefix $(PLACE)/,bin libexec/tappet include $(LIBDIR)/pkgconfig $(LIBDIR)/cmake/tappet \
		lib/systemd/system lib/sysusers.d lib/tmpfiles.d $(addprefix share/man/man,1 3 5 8) share/doc/tappet/docs/images \
		share/doc/tappet/docs/faults share/doc/tappet/docs/examples share/tappet/profiles share/tappet/presets \
		share/tappet/completions share/tappet/web)
	install -m 755 $(OUT)/bin/tappet $(OUT)/bin/tappet-sim $(PLACE)/bin
	install -m 755 $(addprefix $(OUT)/libexec/tappet/,tappet-tool tappet-reader tappet-webhook \
		tappet-matrix tappet-web) $(PLACE)/libexec/tappet
	install -m 644 $(OUT)/lib/libtappet.so.0 $(OUT)/lib/libtappet.a $(PLACE)/$(LIBDIR)
	ln -sf libtappet.so.0 $(PLACE)/$(LIBDIR)/libtappet.so
	install -m 644 Include/tappet.h $(PLACE)/include
	$(FILLED_IN) board/pkg-config/tappet.pc.in > $(PLACE)/$(LIBDIR)/pkgconfig/tappet.pc
	install -m 644 board/cmake/tappet-config.cmake $(PLACE)/$(LIBDIR)/cmake/tappet
	$(FILLED_IN) board/cmake/tappet-config-version.cmake.in > $(PLACE)/$(LIBDIR)/cmake/tappet/tappet-config-version.cmake
	install -m 644 $(COMMAND_PAGES)/*.1 $(SHARE)/man/man1
	$(FILLED_IN) board/man/tappet-sim.1 > $(SHARE)/man/man1/tappet-sim.1
	$(FILLED_IN) board/man/tappet-web.8 > $(SHARE)/man/man8/tappet-web.8
	install -m 644 $(MANUAL)/*.3 $(SHARE)/man/man3
	install -m 644 $(CONFIG_PAGE) $(SHARE)/man/man5
	install -m 644 README.md CHANGELOG.md LICENSE board/etc/kiosk.yaml board/udev/60-tappet.rules \
		$(SHARE)/doc/tappet
	install -m 644 docs/*.md docs/alerts.yaml docs/json.schema.json $(SHARE)/doc/tappet/docs
	install -m 644 docs/faults/*.md $(SHARE)/doc/tappet/docs/faults
	install -m 644 docs/images/* $(SHARE)/doc/tappet/docs/images
	install -m 644 docs/examples/*.c $(SHARE)/doc/tappet/docs/examples
	install -m 644 board/profiles/*.yaml $(SHARE)/tappet/profiles
	install -m 644 board/presets/*.yaml $(SHARE)/tappet/presets
	install -m 644 board/completions/* $(SHARE)/tappet/completions
	install -m 644 board/web/* $(SHARE)/tappet/web
	$(call UNIT,tappet,kiosk) > $(PLACE)/lib/systemd/system/tappet.service
	$(call UNIT,tappet-%i,%i) > $(PLACE)/lib/systemd/system/tappet@.service
	for part in path socket service; do $(FILLED_IN) board/systemd/tappet-web.$$part.in \
		> $(PLACE)/lib/systemd/system/tappet-web.$$part || exit 1; done
	install -m 644 board/systemd/tappet.sysusers $(PLACE)/lib/sysusers.d/tappet.conf
	install -m 644 board/systemd/tappet-web.sysusers $(PLACE)/lib/sysusers.d/tappet-web.conf
	install -m 644 board/systemd/tappet.tmpfiles $(PLACE)/lib/tmpfiles.d/tappet.conf
	$(foreach file,$(COMPLETIONS),install -D -m 644 $(file) $(PLACE)/$(patsubst $(OUT)/%,%,$(file)) &&) true

uninstall:  ## remove everything that was installed (PREFIX and DESTDIR as before); configuration and state stay
	rm -rf $(addprefix $(PLACE)/,$(INSTALLED))
