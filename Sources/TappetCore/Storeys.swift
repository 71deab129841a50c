// The storeys below; importing TappetCore imports them too.

@_exported import TappetBase
@_exported import TappetTag
