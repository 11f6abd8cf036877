"""Write the shipped collection anew: `python -m rankscope.simulation`."""

from rankscope.simulation.collection import simulate
from rankscope.simulation.embedded_collection import FOLDER, write

if __name__ == "__main__":
    for path in write(FOLDER, simulate()):
        print(f"{path.stat().st_size:>8} {path.name}")
