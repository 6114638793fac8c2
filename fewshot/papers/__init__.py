"""The analyses of the papers, a file each; those that pretrain encoders of their own share `pretraining`."""
