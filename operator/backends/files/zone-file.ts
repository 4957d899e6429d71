import { parseZoneText } from '../../contract/zone-text';
import type { ZoneCatalogue } from '../../contract/zones';
import type { Refusal } from '../../errors/outcome';
import { FollowedFile, watchFolder, type FileLook, type WatchFolder } from './followed-file';
import type { Tools } from '../../ports/tools';

/** Milliseconds between two looks at the file, for file systems that send no events. */
export const ZONE_FILE_POLL_MS = 10_000;

/** Options of a zone file. */
export interface ZoneFileOptions extends Tools {
  /** YAML or JSON file; a mounted ConfigMap is fine. */
  readonly path: string;
  /**
   * Judges a valid document before it comes into force, the first one too; `before` is absent for that. A document with
   * objections is looked at again until they end.
   *
   * @default - every valid document comes into force
   */
  readonly objections?: (next: ZoneCatalogue, before?: ZoneCatalogue) => Promise<readonly Refusal[]>;
  /**
   * Called after every look at the file.
   *
   * @default - there is no listener
   */
  readonly onReload?: (result: FileLook) => void;
  /**
   * How a folder is watched.
   *
   * @default - events of the operating system
   */
  readonly watch?: WatchFolder;
}

/**
 * Reads the zones of a file and follows it; an invalid document keeps the last good one.
 *
 * @param options - path, ports, checks
 * @returns the source of the zones, with a valid catalogue
 * @throws IpamError `zone/invalid` with every problem when the first document cannot be used
 */
export function openZoneFile(options: ZoneFileOptions): Promise<FollowedFile<ZoneCatalogue>> {
  const { path, clock, logger, meter, objections, onReload, watch = watchFolder } = options;
  return FollowedFile.open({
    paths: [path],
    clock,
    logger,
    watch,
    pollMs: ZONE_FILE_POLL_MS,
    parse: (text) => parseZoneText(text),
    words: { file: 'zone file', content: 'zones' },
    unusable: { code: 'zone/invalid', title: `the zone document "${path}" is not valid` },
    ...(objections === undefined ? {} : { objections }),
    onLook: (result) => {
      if (result !== 'unchanged') meter.count('zones_reloads_total', { result });
      onReload?.(result);
    },
  });
}
