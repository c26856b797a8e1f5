// Owns TLS of a running server: reads its certificate again when asked to, keeps the previous one if the new one cannot be used, and warns
// before the certificate ends. Must never stop the server.

import type { Logger } from "../../../platform/log/logger.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import { type Certificate, type CertificateFiles, nearEnd, readCertificate } from "./certificate.ts";

export interface Tls {
  /** The certificate in use. */
  current(): Certificate;
  /** Reads the files again. New connections get the new certificate. Never throws. */
  reload(): Promise<void>;
  /** No reload begins from now on. */
  close(): void;
}

export interface TlsOptions {
  readonly files: CertificateFiles;
  /** The certificate that the server was started with. */
  readonly certificate: Certificate;
  /** As RunningServer. */
  replaceCertificate(certificate: Certificate): Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const checkEveryMs = 86_400_000;

export function createTls({ files, certificate, replaceCertificate, clock, logger }: TlsOptions): Tls {
  let current = certificate;
  let reloading: Promise<void> = Promise.resolve();
  let isClosed = false;
  const warn = (): void => {
    const ending = nearEnd(current, clock.now());
    if (ending === null) return;
    logger.warn("the TLS certificate must be renewed; send SIGHUP to the server afterwards", {
      certificate: files.certificate,
      cause: ending,
    });
  };
  const reload = async (): Promise<void> => {
    if (isClosed) return;
    try {
      const read = readCertificate(files, clock.now());
      await replaceCertificate(read);
      current = read;
      const ends = new Date(read.endsAt).toISOString();
      logger.info("the TLS certificate was reloaded", {
        certificate: files.certificate,
        name: read.name,
        ends,
      });
      warn();
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      logger.error("the TLS certificate was not reloaded; the previous one stays in use", {
        cause,
        remedy: "Correct the files, then send SIGHUP to the server again.",
      });
    }
  };
  warn();
  const timer = clock.every(checkEveryMs, warn);
  return {
    current: () => current,
    reload() {
      reloading = reloading.then(reload);
      return reloading;
    },
    close() {
      isClosed = true;
      timer.cancel();
    },
  };
}
