extension PageSide {
    /// `otalab.d.ts`: the types of `otalab.js` for pages in TypeScript; `otalab schema page` prints it. A
    /// page ships none of it.
    public static let types = """
        // The page's end of the bridge (otalab.js), printed by: otalab schema page > otalab.d.ts

        interface OTALabVersion {
          /** Id of the version. */
          readonly version: string;
        }

        interface OTALabProgress extends OTALabVersion {
          readonly files: number;
          readonly filesDone: number;
          readonly bytesDone: number;
          /** Absent where the manifest states no sizes. */
          readonly bytes?: number;
        }

        interface OTALabError {
          /** One word, as the app's log has it: `otalab help causes`. */
          readonly cause: string;
          readonly detail: string;
        }

        interface OTALabEvents {
          /** A version is downloaded and waits for its moment. */
          newVersionReady: OTALabVersion;
          /** The origin takes the version of this page back. */
          recalled: OTALabVersion;
          /** The pending version is switched to as soon as the app leaves the front. */
          forced: OTALabVersion;
          progress: OTALabProgress;
          /** A check failed, or what it offered was refused. */
          error: OTALabError;
        }

        interface OTALabPage {
          /** Whether the page runs inside the app; elsewhere calls are rejected. */
          readonly isInApp: boolean;
          /** Id of this page load; undefined outside the app. */
          readonly load: string | undefined;
          /** The page works: its version is confirmed. To be called once data and view are there. */
          ready(): Promise<true>;
          /** The page can't work: the version before comes back at once. */
          fail(message: unknown): Promise<true>;
          /** Looks for an update; resolves before the origin has answered. */
          check(): Promise<true>;
          /** Switches to the pending version; resolves to its id, rejects where none is pending. */
          switchToPending(): Promise<string>;
          /** No automatic switch until `release`, for 24 hours at most. */
          holdOff(): Promise<true>;
          release(): Promise<true>;
          on<Name extends keyof OTALabEvents>(name: Name, handler: (event: OTALabEvents[Name]) => void): void;
          off<Name extends keyof OTALabEvents>(name: Name, handler: (event: OTALabEvents[Name]) => void): void;
          /** Answers calls of native code, within 30 s. */
          handle(method: string, handler: (params: any) => unknown): void;
          /** Calls native code: a method of the updater, or one of the app. */
          call(method: string, params?: unknown): Promise<any>;
          /** Whether native code takes this link over. */
          isNativeLink(url: string | URL): boolean;
          /** For native code: a message to the page, as text or object. */
          receive(message: string | object): void;
        }

        interface Window {
          readonly otalab: OTALabPage;
        }

        declare const otalab: OTALabPage;

        """
}
