import type { k8s } from 'cdk8s-plus-28';

/** A folder of the Pod and the volume behind it. */
export interface PodFolder {
  /** Name of the volume. */
  readonly name: string;
  readonly path: string;
  readonly writable?: boolean;
  readonly source: Omit<k8s.Volume, 'name'>;
}

/** A folder with one file, made of one key of a Secret or ConfigMap. */
export interface FileFolder extends PodFolder {
  readonly file: string;
}

// The group of the Pod reads it; on OpenShift this is the group that the platform chooses.
const SECRET_MODE = 0o440;

/**
 * Mounts a whole Secret with a certificate, whose changes the operator sees.
 *
 * @param name - name of the volume
 * @param path - where it is in the Pod
 * @param secretName - a Secret of type kubernetes.io/tls
 * @returns the whole Secret, for the group of the Pod only
 */
export function folderOfCertificate(name: string, path: string, secretName: string): PodFolder {
  return { name, path, source: { secret: { secretName, defaultMode: SECRET_MODE } } };
}

/**
 * Mounts one key of a Secret, and nothing else of it.
 *
 * @param name - name of the volume
 * @param path - where it is in the Pod
 * @param secret - the Secret and its key
 * @returns the folder with the path of the file
 */
export function folderOfSecret(
  name: string,
  path: string,
  { name: secretName, key }: { readonly name: string; readonly key: string },
): FileFolder {
  const items = [{ key, path: key }];
  return { name, path, file: `${path}/${key}`, source: { secret: { secretName, items, defaultMode: SECRET_MODE } } };
}

/**
 * Mounts one key of a ConfigMap, and nothing else of it.
 *
 * @param name - name of the volume
 * @param path - where it is in the Pod
 * @param map - the ConfigMap and its key
 * @returns the folder with the path of the file
 */
export function folderOfConfigMap(
  name: string,
  path: string,
  { name: configMap, key }: { readonly name: string; readonly key: string },
): FileFolder {
  const items = [{ key, path: key }];
  return { name, path, file: `${path}/${key}`, source: { configMap: { name: configMap, items } } };
}
