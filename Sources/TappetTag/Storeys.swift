// The storey below; importing TappetTag imports it too.

@_exported import TappetBase
