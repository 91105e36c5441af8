"""Files that run a plan: manifests of Kubernetes, Docker Compose, Slurm."""

from gpuplanner_gui.files.deploy.folder import TARGETS, deployment_files, how_to_start, write_deployment
from gpuplanner_gui.files.deploy.kubernetes import DeployPlace, slug

__all__ = ["TARGETS", "DeployPlace", "deployment_files", "how_to_start", "slug", "write_deployment"]
