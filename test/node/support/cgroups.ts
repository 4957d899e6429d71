import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../cluster/support/eventually';

const MOUNT = '/sys/fs/cgroup';
/** Made by containerd for its own use, whatever it is told. */
const OF_CONTAINERD = 'k8s.io';

/** A group of processes in every hierarchy of the machine. */
interface Cgroup {
  /** Path below the root of each hierarchy. */
  readonly path: string;
  /** Takes it away, and what was made by containerd meanwhile, once their processes have ended. */
  remove(): Promise<void>;
}

/** Version 2 has one hierarchy, version 1 one for each controller, beside which version 2 may be without any. */
const hierarchies = (): readonly string[] =>
  existsSync(join(MOUNT, 'cgroup.controllers')) ? [MOUNT] : readdirSync(MOUNT).map((name) => join(MOUNT, name));

function removeBelow(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeBelow(join(folder, entry.name));
  rmdirSync(folder);
}

/** Makes a group that kubelet has for its Pods. */
export function makeCgroup(name: string): Cgroup {
  const wasThere = new Set(hierarchies().filter((hierarchy) => existsSync(join(hierarchy, OF_CONTAINERD))));
  for (const hierarchy of hierarchies()) {
    const own = join(hierarchy, name);
    mkdirSync(own, { recursive: true });
    // version 1: a set without processors takes in no process
    for (const file of ['cpuset.cpus', 'cpuset.mems'].filter((each) => existsSync(join(hierarchy, each))))
      writeFileSync(join(own, file), readFileSync(join(hierarchy, file)));
  }
  const made = (): readonly string[] =>
    hierarchies().flatMap((hierarchy) =>
      [name, ...(wasThere.has(hierarchy) ? [] : [OF_CONTAINERD])]
        .map((each) => join(hierarchy, each))
        .filter((each) => existsSync(each)),
    );
  return {
    path: `/${name}`,
    remove: async () => {
      await eventually(() => {
        for (const folder of made()) removeBelow(folder);
        return true;
      });
    },
  };
}
