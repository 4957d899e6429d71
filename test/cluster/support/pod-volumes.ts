import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Json, KubeObject } from './cluster-client';
import type { ControlPlane } from './control-plane';

/** Longer than any test, and than the longest wait of a Secret that nobody makes. */
const FOLLOW_MS = 60 * 60_000;
const AGAIN_MS = 200;

/** A Pod's volumes on this machine, as a kubelet would mount them. */
export interface PodVolumes {
  /** Where a path of the Pod is. */
  pathOf(path: string): string;
}

interface VolumeSource {
  readonly path: string;
  /** Of the values in `data`. */
  readonly encoding: 'base64' | 'utf8';
  readonly keys: readonly { readonly key: string; readonly path: string }[] | undefined;
}

// All files change at once by the swap of one link, as under a kubelet: readers watch for exactly that.
function writeFiles(folder: string, { data = {} }: KubeObject, { keys, encoding }: VolumeSource): void {
  const files = keys ?? Object.keys(data).map((key) => ({ key, path: key }));
  mkdirSync(folder, { recursive: true });
  const fresh = mkdtempSync(join(folder, '..v'));
  for (const { key, path } of files) writeFileSync(join(fresh, path), data[key] ?? '', { encoding, mode: 0o640 });
  const old = readdirSync(folder).includes('..data') ? readlinkSync(join(folder, '..data')) : undefined;
  symlinkSync(basename(fresh), join(folder, '..next'));
  renameSync(join(folder, '..next'), join(folder, '..data'));
  for (const { path } of files) {
    if (!readdirSync(folder).includes(path)) symlinkSync(join('..data', path), join(folder, path));
  }
  if (old !== undefined) rmSync(join(folder, old), { recursive: true, force: true });
}

async function project(plane: ControlPlane, folder: string, source: VolumeSource): Promise<void> {
  const { path } = source;
  let object = await plane.client.objectWhen(path, () => true);
  writeFiles(folder, object, source);
  let ended = false;
  plane.onStop(() => {
    ended = true;
  });
  const follow = async (): Promise<void> => {
    while (!ended) {
      const { resourceVersion } = object.metadata;
      object = await plane.client.objectWhen(
        path,
        (now) => now.metadata.resourceVersion !== resourceVersion,
        FOLLOW_MS,
      );
      writeFiles(folder, object, source);
    }
  };
  const goOn = (): void => {
    // an API server that restarts breaks the watch, and no kubelet gives up over that
    if (!ended) setTimeout(() => void follow().catch(goOn), AGAIN_MS).unref();
  };
  follow().catch(goOn);
}

function sourceOf(namespace: string, volume: Json): VolumeSource | undefined {
  const place = `/api/v1/namespaces/${namespace}`;
  const { secret, configMap } = volume as { readonly secret?: Json; readonly configMap?: Json };
  const keys = (secret ?? configMap)?.['items'] as VolumeSource['keys'];
  if (secret !== undefined)
    return { path: `${place}/secrets/${String(secret['secretName'])}`, encoding: 'base64', keys };
  if (configMap !== undefined)
    return { path: `${place}/configmaps/${String(configMap['name'])}`, encoding: 'utf8', keys };
  return undefined;
}

/** Mounts the volumes of a Pod's only container, waits for Secrets and ConfigMaps, and follows their changes. */
export async function mountVolumes(plane: ControlPlane, name: string, pod: Json): Promise<PodVolumes> {
  const root = join(plane.folder, 'pods', name);
  const mounts: readonly Json[] = pod['containers']?.[0]?.['volumeMounts'] ?? [];
  for (const mount of mounts) {
    const folder = join(root, String(mount['mountPath']));
    const volume = pod['volumes']?.find((each: Json) => each['name'] === mount['name']);
    if (volume === undefined) throw new RangeError(`the Pod has no volume ${String(mount['name'])}`);
    const source = sourceOf('ipam-system', volume);
    if (source !== undefined) await project(plane, folder, source);
    else mountFolder(plane, folder, volume);
  }
  return { pathOf: (path) => join(root, path) };
}

// What a claim holds outlives the Pod; what is in a folder of the Pod does not.
function mountFolder(plane: ControlPlane, folder: string, volume: Json): void {
  const claim = volume['persistentVolumeClaim']?.['claimName'];
  rmSync(folder, { recursive: true, force: true });
  if (claim === undefined) {
    mkdirSync(folder, { recursive: true });
    return;
  }
  const kept = join(plane.folder, 'volumes', claim);
  mkdirSync(kept, { recursive: true });
  mkdirSync(dirname(folder), { recursive: true });
  symlinkSync(kept, folder);
}
