// A kiosk in C++: objects that free themselves, exceptions for errors, and a thread for the kiosk.
// Usage: kiosk CONFIG KEY (64 digits).  Ends after a refused tap.
#include <tappet.h>

#include <condition_variable>
#include <iostream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tappet {

class Error : public std::runtime_error {
 public:
  Error(int code, const std::string &sentence) : std::runtime_error(sentence), code(code) {}
  const int code;
};

inline std::vector<uint8_t> decodeHex(std::string_view text) {
  std::vector<uint8_t> bytes(text.size() / 2);
  const int size = tappet_hex_decode(text.data(), text.size(), bytes.data(), bytes.size());
  if (size < 0) throw Error(size, tappet_strerror(size));
  return bytes;
}

/// Owns a kiosk, and calls the listener on the thread inside run().
class Kiosk {
 public:
  struct Listener {
    virtual ~Listener() = default;
    virtual void onEvent(const tappet_kiosk_event &event) = 0;
  };

  explicit Kiosk(Listener &listener) : handle(make()) {
    check(tappet_kiosk_set_event_callback(handle.get(), forward, &listener));
  }

  void load(const std::string &path) { check(tappet_kiosk_load(handle.get(), path.c_str())); }
  void addSecret(const std::string &action, const std::vector<uint8_t> &key) {
    if (key.size() != TAPPET_KEY_SIZE) throw Error(TAPPET_ERROR_ARGUMENT, "a key has 32 bytes");
    check(tappet_kiosk_add_secret(handle.get(), action.c_str(), key.data()));
  }
  void run() { check(tappet_kiosk_run(handle.get())); }
  void stop() { tappet_kiosk_stop(handle.get()); }
  tappet_kiosk_counters counters() const {
    tappet_kiosk_counters counters{};
    counters.size = sizeof counters;
    check(tappet_kiosk_get_counters(handle.get(), &counters));
    return counters;
  }

 private:
  struct Free {
    void operator()(tappet_kiosk *kiosk) const { tappet_kiosk_free(kiosk); }
  };
  static tappet_kiosk *make() {
    tappet_kiosk *kiosk = nullptr;
    if (const int result = tappet_kiosk_new(&kiosk); result < 0) throw Error(result, tappet_strerror(result));
    return kiosk;
  }
  static void forward(void *context, const tappet_kiosk_event *event) {
    static_cast<Listener *>(context)->onEvent(*event);
  }
  void check(int result) const {
    if (result >= 0) return;
    tappet_failure failure{};
    failure.size = sizeof failure;
    const bool isKnown = tappet_kiosk_last_error(handle.get(), &failure) == 0;
    throw Error(result, isKnown ? failure.sentence : tappet_strerror(result));
  }

  std::unique_ptr<tappet_kiosk, Free> handle;
};

}  // namespace tappet

struct Printer : tappet::Kiosk::Listener {
  std::mutex mutex;
  std::condition_variable condition;
  bool isRefused = false;

  void onEvent(const tappet_kiosk_event &event) override {
    if (event.type == TAPPET_KIOSK_EVENT_DELIVERED) std::cout << "delivered " << event.action << std::endl;
    if (event.type == TAPPET_KIOSK_EVENT_LIGHT) std::cout << "light " << event.name << std::endl;
    if (event.type != TAPPET_KIOSK_EVENT_REFUSED) return;
    std::cout << "refused: " << event.sentence << std::endl;
    const std::lock_guard lock(mutex);
    isRefused = true;
    condition.notify_one();
  }
};

int main(int argc, char **argv) try {
  if (argc != 3) return 2;
  Printer printer;
  tappet::Kiosk kiosk(printer);
  kiosk.load(argv[1]);
  kiosk.addSecret("garage", tappet::decodeHex(argv[2]));
  std::thread thread([&] { kiosk.run(); });
  {
    std::unique_lock lock(printer.mutex);
    printer.condition.wait(lock, [&] { return printer.isRefused; });
  }
  kiosk.stop();
  thread.join();
  const auto counters = kiosk.counters();
  std::cout << "counters accepted=" << counters.accepted << " delivered=" << counters.delivered
            << " refused=" << counters.refused << std::endl;
  return 0;
} catch (const std::exception &error) {
  std::cerr << error.what() << std::endl;
  return 1;
}
