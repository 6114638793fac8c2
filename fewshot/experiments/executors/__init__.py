"""Who carries out the runs of an experiment: this process, several of this machine, or those of a Ray cluster."""
