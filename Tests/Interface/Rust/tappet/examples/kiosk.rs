//! A kiosk in Rust.   Usage: kiosk CONFIG KEY (64 digits).  Ends after a refused tap.
use std::sync::mpsc;
use std::thread;

use tappet::{Event, Key, Kiosk};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().collect();
    let mut key: Key = [0; 32];
    for (index, byte) in key.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&words[2][2 * index..2 * index + 2], 16)?;
    }
    let (sender, events) = mpsc::channel();
    let mut kiosk = Kiosk::load(&words[1], move |event| sender.send(event).unwrap_or(()))?;
    kiosk.add_secret("garage", &key)?;
    let stopper = kiosk.stopper();
    let thread = thread::spawn(move || kiosk.run().and_then(|_| kiosk.counters()));
    for event in events {
        match event {
            Event::Light(name) => println!("light {name}"),
            Event::Delivered { action } => println!("delivered {action}"),
            Event::Refused(sentence) => {
                println!("refused: {sentence}");
                stopper.stop();
            }
            Event::Other { .. } => {}
        }
    }
    let counters = thread.join().expect("the kiosk's thread ended")?;
    let (accepted, delivered, refused) = (counters.accepted, counters.delivered, counters.refused);
    println!("counters accepted={accepted} delivered={delivered} refused={refused}");
    Ok(())
}
