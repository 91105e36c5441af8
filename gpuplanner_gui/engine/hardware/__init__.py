"""What devices, links and fabrics can do: figures as arrays, collectives, power, slips in data sheets."""
